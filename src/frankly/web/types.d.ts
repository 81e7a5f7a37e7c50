// The shapes that the page's modules speak of: for readers and editors, never sent to a browser.

type Tape = import("./tape.js").Tape;
type Answers = Record<string, unknown>;
type Child = Node | string | number | null | undefined | false | Child[];

/** The survey document, as Frankly writes it (not every field is used here). */
interface Design {
  attributes: Attribute[];
  forms: Form[];
}

interface Attribute {
  name: string;
  values: string[];
  /** Rising cut points of a numeric answer. */
  bins?: number[];
  /** Finer answers and the value each counts as. */
  merged?: Record<string, string>;
}

interface Form {
  groups?: { names: string[]; mechanism: Device }[];
  clear?: string[];
  weight?: number;
}

/** A group's device, as the survey document writes it. */
interface Device {
  kind: string;
  /** The probability of the truth, as text "p/q". */
  theta: string;
  /** Weights of the substitutes. */
  cover?: Record<string, number[]> | any[];
  /** Whether the person's own answers stand in for drawn ones. */
  asked?: boolean;
  /** A matrix's weights: rows[truth][report]. */
  rows: number[][];
  /** The values a matrix's report can have. */
  reports?: string[];
}

/** One person's answers to the questions of a group, as positions among their values. */
interface Group {
  attributes: { name: string; values: string[] }[];
  truth: number[];
  /** The person's own substitutes, where the design asks for them. */
  own?: number[];
}

type Draw = (device: Device, group: Group, tape: Tape) => number[];

/** An attribute with its words. */
interface Question extends Attribute {
  prompt?: any;
  labels?: Record<string, any>;
}

/** One page: its questions, the group that protects them, and what kind of answer they take. */
interface Step {
  kind: "one" | "scale" | "number" | "ticks";
  questions: Question[];
  /** What protects the first of them; nothing: sent as answered. */
  group?: any;
  /** Of ticks: what they have in common. */
  prompt?: any;
  /** The innocent question of a design that asks for its covers. */
  cover?: boolean;
}
