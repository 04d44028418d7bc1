import {
  type Administrator,
  type AdministratorsContext,
  createAdministrator,
  listAdministrators,
  makePasswordToken,
  removeAdministrator,
} from '../people/administrators/administrators.ts'
import { ADMINISTRATOR } from '../people/administrators/rights.ts'
import { resetTotp } from '../people/administrators/totp.ts'
import { studioLink } from '../people/administrators/studio-links.ts'
import { ROOT } from '../people/access/principal.ts'
import { NotFoundError } from '../base/errors.ts'
import { type Command, type CommandContext, textOption, wordAt } from './command.ts'
import { formatTable } from './table.ts'

const list: Command = {
  usage: 'admin list',
  summary: 'list administrators',
  options: {},
  words: { min: 0, max: 0 },
  needs: 'database',
  run: async (context) => {
    const data = await listAdministrators(await context.administrators())
    const rows = data.map(({ name, email, roles }) => [name, email, roles.join(', ')])
    return { data, text: formatTable(['NAME', 'EMAIL', 'ROLES'], rows) }
  },
}

const add: Command = {
  usage: 'admin add <name> <email> [--role <type>]... [--password <password>]',
  summary:
    'add an administrator, with all permissions unless roles are named; without a password print a one-time link to set one, valid for an hour',
  options: { role: { type: 'string', multiple: true }, password: { type: 'string' } },
  words: { min: 2, max: 2 },
  needs: 'database',
  run: async (context, words, options) => {
    const administrators = await context.administrators()
    const password = textOption(options, 'password')
    const added = await createAdministrator(administrators, ROOT, {
      name: wordAt(words, 0),
      email: wordAt(words, 1),
      roles: options['role'] ?? [ADMINISTRATOR],
      ...(password !== undefined && { password }),
    })
    if (password !== undefined) return { data: added, text: `Added ${added.name}.` }
    const link = await linkFor(context, administrators, added)
    return {
      data: { ...added, link },
      text: `Added ${added.name}. Link to set a password:\n${link}`,
    }
  },
}

const reset: Command = {
  usage: 'admin reset <email>',
  summary: 'print a one-time link to set a new password, valid for an hour',
  options: {},
  words: { min: 1, max: 1 },
  needs: 'database',
  run: async (context, words) => {
    const administrators = await context.administrators()
    const found = await findAdministratorByEmail(administrators, wordAt(words, 0))
    const link = await linkFor(context, administrators, found)
    return {
      data: { ...found, link },
      text: `Link for ${found.name} to set a new password:\n${link}`,
    }
  },
}

const resetSecondFactor: Command = {
  usage: 'admin reset-totp <email>',
  summary: 'let an administrator sign in without codes of an app, for example after a lost phone',
  options: {},
  words: { min: 1, max: 1 },
  needs: 'database',
  run: async (context, words) => {
    const administrators = await context.administrators()
    const { id } = await findAdministratorByEmail(administrators, wordAt(words, 0))
    const data = await resetTotp(administrators, ROOT, id)
    return { data, text: `${data.name} signs in without codes of an app.` }
  },
}

const remove: Command = {
  usage: 'admin remove <email>',
  summary: 'remove an administrator and end all their sessions',
  options: {},
  words: { min: 1, max: 1 },
  needs: 'database',
  run: async (context, words) => {
    const administrators = await context.administrators()
    const { id } = await findAdministratorByEmail(administrators, wordAt(words, 0))
    const data = await removeAdministrator(administrators, ROOT, id)
    return { data, text: `Removed ${data.name}.` }
  },
}

export const ADMIN_COMMANDS: readonly Command[] = [list, add, reset, resetSecondFactor, remove]

async function linkFor(
  { publicUrl }: CommandContext,
  administrators: AdministratorsContext,
  { id }: Administrator,
): Promise<string> {
  return studioLink(publicUrl, 'password', await makePasswordToken(administrators, ROOT, id))
}

export async function findAdministratorByEmail(
  administrators: AdministratorsContext,
  email: string,
): Promise<Administrator> {
  const all = await listAdministrators(administrators)
  const found = all.find((one) => one.email === email.toLowerCase())
  if (found === undefined) throw new NotFoundError(`There is no administrator ${email}`)
  return found
}
