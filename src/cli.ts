#!/usr/bin/env node
import { userInfo } from 'node:os'
import { type Access, openAccess } from './access/access.ts'
import { compileActions } from './access/actions.ts'
import { keptJwtSecret } from './access/jwt-secret.ts'
import { runCheckProject } from './cli/check-project.ts'
import type { Installation } from './cli/doctor/examine.ts'
import { runDoctor } from './cli/doctor/run-doctor.ts'
import type { WebhookParts } from './cli/command.ts'
import { runMap } from './cli/map/run-map.ts'
import { openImport } from './cli/open-import.ts'
import { type OpenedContext, runCli } from './cli/run-cli.ts'
import type { AdministratorsContext } from './administrators/administrators.ts'
import { openAdministrators } from './administrators/open-administrators.ts'
import { openPasswords } from './accounts/passwords.ts'
import { USER } from './accounts/users.ts'
import { withEnvFile } from './config/env-file.ts'
import { type Config, readConfig } from './config/config.ts'
import { readVersion } from './config/version.ts'
import type { DeploymentLog } from './deployment/deployment.ts'
import type { DocumentContext } from './documents/context.ts'
import { startDeployment } from './deployment/start-deployment.ts'
import { openLocales } from './locales/locales.ts'
import type { MediaStores } from './media/check-media.ts'
import { writeAlwaysAs } from './mongo/connection/authorship.ts'
import { restartLog } from './mongo/commits/restart-log.ts'
import { type Database, openDatabase } from './mongo/connection/database.ts'
import { openFileRecords } from './media/file-records.ts'
import { once } from './schema/once.ts'
import type { WebhooksContext } from './webhooks/manage-webhooks.ts'
import { ensureWebhooks } from './webhooks/webhook.ts'
import { apiFacts, documentContext, loadSchema, openStorage, spoolFolder } from './services.ts'

const words = process.argv.slice(2)
const output = {
  out: (text: string) => console.log(text),
  error: (text: string) => console.error(text),
}
writeAlwaysAs({ by: { kind: 'cli', id: null, name: userInfo().username }, requestId: null })
process.exitCode = await run()

/** Three commands work where nothing can be opened. */
function run(): Promise<number> {
  const [name, ...rest] = words
  if (name === 'doctor') return runDoctor(rest, installation(), output)
  if (name === 'check-project') return runCheckProject(rest, output)
  if (name === 'map') return runMap(rest, output)
  return runCli(words, openContext, output)
}

/** The installation that the environment names. */
function installation(): Installation {
  return {
    readConfig: () => readConfig(withEnvFile(process.env)),
    startDeployment: (config) => startDeployment(config, cliLog()),
  }
}

/** Only what goes wrong: standard output is for the command. */
function cliLog(): DeploymentLog {
  const say = (message: string): void => console.error(message)
  return { info: () => undefined, warn: say, error: say }
}

async function openMediaStores(config: Config, documents: DocumentContext): Promise<MediaStores> {
  const { database } = documents
  return {
    storage: await openStorage(config, database),
    records: openFileRecords(database, documents.contentType('plugin::upload.file'), documents),
    spoolFolder: spoolFolder(config),
  }
}

async function openWebhookParts(
  { webhooks: { allowHosts } }: Config,
  context: WebhooksContext,
): Promise<WebhookParts> {
  await ensureWebhooks(context.database)
  return { ...context, send: { allowHosts, version: readVersion() } }
}

/**
 * Opens the deployment that the environment names, beside a running server or alone: what is changed
 * here a server sees within a second.
 */
async function openContext(): Promise<OpenedContext> {
  const config = readConfig(withEnvFile(process.env))
  const schema = await loadSchema(config.contentTypesDir)
  const deployment = await startDeployment(config, cliLog())
  const opened: { close(): Promise<void> }[] = [deployment]
  const close = async (): Promise<void> => {
    for (const one of opened.toReversed()) await one.close()
  }
  try {
    const { name, queryTimeoutMs, trashDays } = config.database
    const database = await openDatabase({ uri: deployment.uri, name, queryTimeoutMs, trashDays })
    opened.push(database)
    const access = once(async () => {
      const made = await openAccess(database, compileActions(schema), { rootApiToken: null })
      opened.push(made)
      return made
    })
    const documents = documentContext(database, schema)
    return {
      access,
      locales: once(() => openLocales(database)),
      api: async () => apiFacts(config, schema, await openLocales(database)),
      users: async () => {
        const { roles } = await access()
        const { ids, now } = documents
        const plan = documents.contentType(USER)
        return { db: database, plan, ids, now, roles, passwords: openPasswords(), sessions: null }
      },
      administrators: once(async () => openStaff(config, database, await access())),
      publicUrl: config.http.publicUrl,
      content: () => Promise.resolve({ documents, schema }),
      media: () => openMediaStores(config, documents),
      webhooks: () => openWebhookParts(config, { database, schema, now: documents.now }),
      restartLog: () => restartLog(database),
      openImport: (options) => openImport({ config, database, schema }, options),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

async function openStaff(
  { secrets, dataDir, http: { publicUrl } }: Config,
  db: Database,
  { actions }: Pick<Access, 'actions'>,
): Promise<AdministratorsContext> {
  const secret = secrets.jwtSecret ?? (await keptJwtSecret(dataDir))
  const now = (): Date => new Date()
  return openAdministrators({
    db,
    actions,
    passwords: openPasswords(),
    secret,
    publicUrl,
    oidc: null, // nobody signs in here
    now,
  })
}
