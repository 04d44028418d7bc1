import type { Config } from '../../base/config/config.ts'
import type { Deployment } from '../../server/deployment/deployment.ts'
import { describeDatabase, readServerNote } from '../../server/deployment/server-note.ts'
import type { Finding } from './finding.ts'

export async function examineServer(
  {
    dataDir,
    database: { name },
  }: Pick<Config, 'dataDir'> & { readonly database: { readonly name: string } },
  deployment: Pick<Deployment, 'uri'>,
): Promise<readonly Finding[]> {
  const note = await readServerNote(dataDir)
  const used = describeDatabase(deployment, name)
  if (note === null || note.database === used) return []
  const what =
    `the server of this folder (process ${note.pid}) uses the database ${note.database}, this command ${used}: ` +
    'give both the same MONGODB_URI, MONGODB_DATABASE and QUIRE_DATABASE'
  return [{ check: 'database', level: 'warning', what }]
}
