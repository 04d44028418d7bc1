import { readFile, writeFile } from 'node:fs/promises'
import { writeProjectTypes } from '../../describe/client-code/write-project-types.ts'
import { loadSchema } from '../../server/services/load-schema.ts'

/** Updates the file of `quire types`, if the project has one. @throws SchemaError */
export async function keepTypes(contentTypesDir: string, file: string): Promise<void> {
  const before = await readFile(file, 'utf8').catch(() => null)
  if (before === null) return
  const text = writeProjectTypes(await loadSchema(contentTypesDir))
  if (text !== before) await writeFile(file, text)
}
