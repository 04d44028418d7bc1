#!/usr/bin/env node
import { openAccess } from './access/access.ts'
import { compileActions } from './access/actions.ts'
import { type OpenedContext, runCli } from './cli/run-cli.ts'
import { readConfig, withEnvFile } from './config.ts'
import { startDeployment } from './deployment/start-deployment.ts'
import { openLocales } from './documents/locales.ts'
import { openDatabase } from './mongo/database.ts'
import { loadSchema } from './services.ts'

process.exitCode = await runCli(process.argv.slice(2), openContext, {
  out: (text) => console.log(text),
  error: (text) => console.error(text),
})

/**
 * Opens the deployment that the environment names, beside a running server or alone: what is changed
 * here a server sees within a second.
 */
async function openContext(): Promise<OpenedContext> {
  const config = readConfig(withEnvFile(process.env))
  const schema = await loadSchema(config.contentTypesDir)
  const say = (message: string): void => console.error(message)
  const log = { info: () => undefined, warn: say, error: say }
  const deployment = await startDeployment(config, log)
  const opened: { close(): Promise<void> }[] = [deployment]
  const close = async (): Promise<void> => {
    for (const one of opened.toReversed()) await one.close()
  }
  try {
    const { name, queryTimeoutMs } = config.database
    const database = await openDatabase({ uri: deployment.uri, name, queryTimeoutMs })
    opened.push(database)
    const access = await openAccess(database, compileActions(schema), { rootApiToken: null })
    opened.push(access)
    return { access, locales: await openLocales(database), close }
  } catch (error) {
    await close()
    throw error
  }
}
