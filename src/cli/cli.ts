#!/usr/bin/env node
import { userInfo } from 'node:os'
import { openAccess } from '../people/access/access.ts'
import { compileActions } from '../people/access/actions.ts'
import { principalOfAdministrator } from '../people/administrators/principals.ts'
import type { PrincipalSource } from '../content/service/acting-principal.ts'
import type { Command, CommandContext, Installation, WebhookParts } from './command.ts'
import { openImport } from './open-import.ts'
import { type OpenedContext, runCli } from './run-cli.ts'
import { USER } from '../people/accounts/users.ts'
import { withEnvFile } from '../base/config/env-file.ts'
import { readConfig } from '../base/config/config.ts'
import { readVersion } from '../base/config/version.ts'
import {
  type Configuration,
  loadConfiguration,
} from '../extensions/configuration/load-configuration.ts'
import type { DeploymentLog } from '../server/deployment/deployment.ts'
import { describeDatabase } from '../server/deployment/server-note.ts'
import { startDeployment } from '../server/deployment/start-deployment.ts'
import { writeAlwaysAs } from '../mongo/connection/authorship.ts'
import { restartLog } from '../mongo/commits/restart-log.ts'
import { compileQueries } from '../query/named/compile-queries.ts'
import { once } from '../base/once.ts'
import { ensureWebhooks } from '../changes/webhooks/webhook.ts'
import { openUserAttributes } from '../server/services/open-user-attributes.ts'
import { apiFacts } from '../server/services/api-facts.ts'
import { hostExtensions } from '../server/extensions/host-extensions.ts'
import { type LoadedProject, loadProject } from '../server/services/load-schema.ts'
import { openMediaStores } from '../server/services/open-media.ts'
import { planLocaleRename, renameLocale } from '../server/locale-rename/rename-locale.ts'
import { compactContent } from '../server/services/compact-content.ts'
import { planSchema } from '../server/services/plan-schema.ts'
import { prepareNewDatabase } from '../server/services/prepare-database.ts'
import { openStaff } from '../server/services/open-access-control.ts'
import {
  type Base,
  type BaseOptions,
  openBase,
  CLI_TIMEOUTS,
} from '../server/services/open-base.ts'

const words = process.argv.slice(2)
const output = {
  out: (text: string) => console.log(text),
  error: (text: string) => console.error(text),
}
writeAlwaysAs({ by: { kind: 'cli', id: null, name: userInfo().username }, requestId: null })
process.exitCode = await runCli(words, { installation: installation(), openContext }, output)

/** Commands load hooks and providers of extensions, but start nothing of them. */
async function configure(): Promise<
  Pick<BaseOptions, 'config'> & Pick<Configuration, 'extensions'>
> {
  const env = withEnvFile(process.env)
  Object.assign(process.env, env)
  const compile = env['NODE_ENV'] !== 'production'
  const { settings, extensions } = await loadConfiguration(process.cwd(), { compile })
  return { config: readConfig(env, settings), extensions }
}

function installation(): Installation {
  return {
    readConfig: async () => (await configure()).config,
    readExtensions: async () => (await configure()).extensions,
    startDeployment: (config) => startDeployment(config, cliLog()),
  }
}

/** Logs errors only, because standard output belongs to the command. */
function cliLog(): DeploymentLog {
  const say = (message: string): void => console.error(message)
  return { info: () => undefined, warn: say, error: say }
}

async function openWebhookParts({
  config: { webhooks },
  database,
  schema,
  documents: { now },
}: Base): Promise<WebhookParts> {
  await ensureWebhooks(database)
  const { allowHosts } = webhooks
  const send = { allowHosts, version: readVersion() }
  return { database, schema, now, allowHosts, send }
}

/** Opens the configured deployment. A running server sees changes within a second. */
async function openContext({ continues }: Pick<Command, 'continues'>): Promise<OpenedContext> {
  const { config, extensions } = await configure()
  const project = await loadProject(config.contentTypesDir, extensions)
  compileQueries(project.schema)
  const deployment = await startDeployment(config, cliLog())
  const used = describeDatabase(deployment, config.database.name)
  output.error(`Database: ${used} (${deployment.reason})`)
  const opened: { close(): Promise<void> }[] = [deployment]
  const close = async (): Promise<void> => {
    for (const one of opened.toReversed()) await one.close()
  }
  try {
    const base = await openBase({ config, deployment }, project, {
      ...CLI_TIMEOUTS,
      ...(continues && { continues }),
    })
    opened.push(base.database)
    return { ...commandContext(base, project, opened), close }
  } catch (error) {
    await close()
    throw error
  }
}

function localeRenaming(base: Base): CommandContext['renameLocale'] {
  const { documents, entered } = base
  const parts = { ...base, now: documents.now, isKnown: entered.isKnown }
  return (rename, { isPlan }) =>
    isPlan ? planLocaleRename(parts, rename) : renameLocale(parts, rename)
}

/** @param opened collects resources to close */
function commandContext(
  base: Base,
  { definitions }: Pick<LoadedProject, 'definitions'>,
  opened: { close(): Promise<void> }[],
): CommandContext {
  const { config, schema, database, documents, locales } = base
  const access = once(async () => {
    const made = await openAccess(database, compileActions(schema, base.extensions.permissions), {
      rootApiToken: null,
    })
    opened.push(made)
    return made
  })
  const administrators = once(async () => openStaff(base, (await access()).actions, null))
  const principals = async (): Promise<PrincipalSource> => ({
    access: await access(),
    principalOfAdministrator: async (id) => principalOfAdministrator(await administrators(), id),
  })
  hostExtensions(base.extensions, { ...base, principals }, ({ extension, call, error }) => {
    console.error(`The extension ${extension} failed in ${call}:`, error)
  })
  return {
    access,
    locales,
    api: async () => apiFacts(config, schema, await locales(), base.extensions.routes),
    users: async () => {
      const { roles } = await access()
      const { ids, now } = documents
      const plan = documents.contentType(USER)
      const passwords = base.passwords()
      const open = openUserAttributes(documents, [])
      // Commands never require user attributes.
      const attributes = { ...open, checkNew: open.checkRegistered }
      return { db: database, plan, ids, now, roles, passwords, sessions: null, attributes }
    },
    // Commands do not sign in.
    administrators,
    publicUrl: config.http.publicUrl,
    content: () => Promise.resolve({ documents, schema }),
    media: () => openMediaStores(base),
    webhooks: () => openWebhookParts(base),
    planSchema: () => planSchema(base),
    compactSchema: ({ isPlan }) => compactContent(base, definitions, { isPlan }),
    renameLocale: localeRenaming(base),
    restartLog: () => restartLog(database),
    openImport: async ({ dryRun, prepares = false }) => {
      if (prepares && !dryRun) await prepareNewDatabase(base, definitions, console.error)
      return openImport(base, { dryRun })
    },
  }
}
