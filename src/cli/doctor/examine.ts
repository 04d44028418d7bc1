import type { Config } from '../../base/config/config.ts'
import { CmsError, ConfigError, ExtensionError } from '../../base/errors.ts'
import { SchemaError } from '../../schema/schema-error.ts'
import type { Extension } from '../../extensions/extension.ts'
import {
  type ExtensionRegistry,
  NO_EXTENSIONS,
  withStoredTypes,
} from '../../extensions/extension-registry.ts'
import type { Database } from '../../mongo/connection/database.ts'
import { compileQueries } from '../../query/named/compile-queries.ts'
import { compileSchema } from '../../schema/compile.ts'
import type { Schema } from '../../schema/plan.ts'
import { readStoredNames } from '../../server/services/enter-schema.ts'
import { loadProject, type LoadedProject } from '../../server/services/load-schema.ts'
import { openDatabaseOf } from '../../server/services/open-base.ts'
import { openStorage } from '../../server/services/open-storage.ts'
import type { Installation } from '../command.ts'
import type { IndexAdvice } from './advise-indexes.ts'
import { examineServer } from './examine-server.ts'
import { examineDatabase } from './examine-database.ts'
import { examineSettings } from './examine-settings.ts'
import { examineStorage } from './examine-storage.ts'
import type { Finding } from './finding.ts'

export interface Examination {
  readonly findings: readonly Finding[]
  readonly advice: readonly IndexAdvice[]
}

/** Parts that depend on a part that cannot be opened are skipped. Bugs are thrown. */
export async function examine(installation: Installation): Promise<Examination> {
  const findings: Finding[] = []
  const advice: IndexAdvice[] = []
  const config = await attempt(findings, 'settings', () => installation.readConfig())
  if (config === null) return { findings, advice }
  findings.push(...examineSettings(config))
  const project = await attempt(findings, 'content-types', async () =>
    loadChecked(config, await installation.readExtensions()),
  )
  for (const what of project?.definitions.warnings ?? []) {
    findings.push({ check: 'content-types', level: 'warning', what })
  }
  const deployment = await attempt(findings, 'database', () => installation.startDeployment(config))
  if (deployment === null) return { findings, advice }
  try {
    const database = await attempt(findings, 'database', () =>
      openDatabaseOf({ config, deployment }),
    )
    if (database === null) return { findings, advice }
    findings.push({ check: 'database', level: 'ok', what: deployment.reason })
    findings.push(...(await examineServer(config, deployment)))
    try {
      const schema = await attempt(findings, 'content-types', async () =>
        project === null ? null : compileStored(database, project),
      )
      const extensions = project?.extensions ?? NO_EXTENSIONS
      const opened = await examineOpened(findings, { database, schema, extensions, config })
      return { findings, advice: opened }
    } finally {
      await database.close()
    }
  } finally {
    await deployment.close()
  }
}

async function examineOpened(
  findings: Finding[],
  {
    database,
    schema,
    extensions,
    config,
  }: {
    readonly database: Database
    readonly schema: Schema | null
    readonly extensions: ExtensionRegistry
    readonly config: Config
  },
): Promise<readonly IndexAdvice[]> {
  const report =
    schema === null
      ? null
      : await attempt(findings, 'database', () => examineDatabase(database, schema, config))
  findings.push(
    ...(report?.findings ?? []),
    await examineStorage(() => openStorage(config, database, extensions)),
  )
  return report?.advice ?? []
}

/** With the names under which the database stores renamed attributes. */
async function compileStored(
  database: Database,
  { definitions, extensions }: LoadedProject,
): Promise<Schema> {
  const entered = await readStoredNames(database, definitions)
  const { computed } = withStoredTypes(extensions, entered.definitions)
  return compileSchema(entered.definitions, entered.storedNames, computed)
}

async function loadChecked(
  { contentTypesDir }: Config,
  extensions: readonly Extension[],
): Promise<LoadedProject> {
  const project = await loadProject(contentTypesDir, extensions)
  compileQueries(project.schema)
  return project
}

async function attempt<T>(
  findings: Finding[],
  check: string,
  work: () => Promise<T> | T,
): Promise<T | null> {
  try {
    return await work()
  } catch (error) {
    findings.push(...faultsOf(error).map((what) => ({ check, level: 'fault', what }) as const))
    return null
  }
}

function faultsOf(error: unknown): readonly string[] {
  if (
    error instanceof ConfigError ||
    error instanceof SchemaError ||
    error instanceof ExtensionError
  ) {
    return error.faults
  }
  if (error instanceof CmsError) return [error.message]
  throw error
}
