"""A Spark session of our own, on this machine alone."""

import os
import shutil
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

HOW = (
    "Spark needs Java 17 or newer, and there is no java on the PATH. Install it (Debian: "
    "apt install openjdk-17-jre-headless) or set JAVA_HOME"
)

SETTINGS = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "700m",
    "spark.sql.shuffle.partitions": "2",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


@contextmanager
def session(master: str = "local[2]", more: Mapping[str, str] | None = None) -> Iterator[Any]:
    """Start Spark, and stop it."""
    if not (shutil.which("java") or os.environ.get("JAVA_HOME")):
        raise RuntimeError(HOW)
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what pyspark thinks of other packages' versions
        from pyspark.sql import SparkSession  # noqa: PLC0415 - only where it is needed

        builder: Any = SparkSession.builder
        builder = builder.master(master).appName("frankly")
        for key, value in {**SETTINGS, **(more or {})}.items():
            builder = builder.config(key, value)
        spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    try:
        yield spark
    finally:
        spark.stop()
        gateway = spark.sparkContext._gateway
        gateway.shutdown()
        if gateway.proc.stdin is not None:
            gateway.proc.stdin.close()
        gateway.proc.wait(30)
        type(spark.sparkContext)._gateway = None
        type(spark.sparkContext)._jvm = None
