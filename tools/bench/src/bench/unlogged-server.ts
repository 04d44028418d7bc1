import { buildApp, type App } from '../../../../src/server/app.ts'
import { startDeployment } from '../../../../src/server/deployment/start-deployment.ts'
import { takeRows } from '../../../../src/mongo/connection/commit-record.ts'
import type { Database } from '../../../../src/mongo/connection/database.ts'
import { type AppDependencies, runServer } from '../../../../src/server/run-server.ts'
import { openServices } from '../../../../src/server/services/open-services.ts'

// Quire without the commit log, only for the bench. Log rows are dropped before they are written,
// so none need a number.

await runServer({ env: process.env, startDeployment, createApp })

async function createApp(dependencies: AppDependencies): Promise<App> {
  const services = await openServices(dependencies)
  const database = unlogged(services.database)
  const documents = { ...services.documents, database }
  const editorsDocuments = { ...services.editorsDocuments, database }
  return buildApp(dependencies, { ...services, database, documents, editorsDocuments })
}

function unlogged(database: Database): Database {
  return {
    ...database,
    writeCommit: (session, writes) => {
      takeRows(session)
      return database.writeCommit(session, writes)
    },
    transact: (work) =>
      database.transact(async (session) => {
        const made = await work(session)
        takeRows(session)
        return made
      }),
  }
}
