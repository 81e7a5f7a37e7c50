"""Run the steps on the connection that `frankly.store.migrate` gives."""

from alembic import context

if hasattr(context, "config"):  # whoever only reads the modules has nothing to migrate
    connection = context.config.attributes["connection"]
    context.configure(connection=connection, transactional_ddl=False)
    context.run_migrations()
