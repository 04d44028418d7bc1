import { writeFile } from 'node:fs/promises'
import { ALL_GRANTS, type Grants } from '../people/access/principal.ts'
import { describedGrants } from '../describe/described-grants.ts'
import { describeApi } from '../describe/openapi/describe-api.ts'
import { type Command, type CommandContext, textOption } from './command.ts'
import { findRoleByName } from './role-commands.ts'

export const OPENAPI_COMMAND: Command = {
  usage: 'openapi [--role <type>] [--out <file>]',
  summary:
    'print the OpenAPI 3.1 description of the whole API, or of the operations that a role permits',
  options: { role: { type: 'string' }, out: { type: 'string' } },
  words: { min: 0, max: 0 },
  needs: 'database',
  run: async (context, _, options) => {
    const grants = await grantsOf(context, textOption(options, 'role'))
    const data = describeApi(await context.api(), grants)
    const text = JSON.stringify(data, null, 2)
    const file = textOption(options, 'out')
    if (file === undefined) return { data, text }
    await writeFile(file, `${text}\n`)
    const paths = Object.keys(data.paths).length
    return { data: { file, paths }, text: `Wrote ${file}: ${paths} paths.` }
  },
}

export async function grantsOf(context: CommandContext, type: string | undefined): Promise<Grants> {
  if (type === undefined) return ALL_GRANTS
  const role = await findRoleByName((await context.access()).roles, type)
  return describedGrants((await context.api()).schema, role)
}
