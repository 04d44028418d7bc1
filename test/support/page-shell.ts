import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { ROOT_TOKEN, type TestServer } from './server.ts'

/** Runs a line of a page in the folder of its files, and returns the output. @throws Error for a failing command */
export async function runLine(
  command: string,
  folder: string,
  { uri, database, port }: Pick<TestServer, 'uri' | 'database' | 'port'>,
  variables: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { stdout } = await promisify(execFile)('sh', ['-c', command], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      MONGODB_URI: uri,
      MONGODB_DATABASE: database,
      CONTENT_TYPES_DIR: path.join(folder, 'content-types'),
      QUIRE_DATA_DIR: path.join(folder, 'data'),
      QUIRE: `http://127.0.0.1:${port}`,
      TOKEN: ROOT_TOKEN,
      ...variables,
    },
  })
  return stdout
}
