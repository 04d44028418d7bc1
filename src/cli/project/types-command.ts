import { writeFile } from 'node:fs/promises'
import { writeProjectTypes } from '../../describe/client-code/write-project-types.ts'
import { loadSchema } from '../../server/services/load-schema.ts'
import { type Command, textOption } from '../command.ts'

const DEFAULT_FILE = 'quire-types.d.ts'

export const TYPES_COMMAND: Command = {
  usage: 'types [--out <file>]',
  summary: `write the TypeScript types of the content-types for extensions, by default to ${DEFAULT_FILE}`,
  options: { out: { type: 'string' } },
  words: { min: 0, max: 0 },
  needs: 'nothing',
  run: async (installation, _, options) => {
    const { contentTypesDir } = await installation.readConfig()
    const schema = await loadSchema(contentTypesDir)
    const file = textOption(options, 'out') ?? DEFAULT_FILE
    await writeFile(file, writeProjectTypes(schema))
    return { data: { file }, text: `Wrote ${file}.` }
  },
}
