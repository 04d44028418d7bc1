import { nanoid } from 'nanoid'
import { createUser, findNamedUser, updateUser } from '../people/accounts/manage-users.ts'
import { NotFoundError } from '../base/errors.ts'
import { type Command, textOption, wordAt } from './command.ts'
import { findRoleByName } from './role-commands.ts'

const PASSWORD_LENGTH = 24

const create: Command = {
  usage: 'user create <username> <email> [--role <type>] [--password <password>]',
  summary:
    'add an end user; the default role is authenticated; without --password, generate a password and print it once',
  options: { role: { type: 'string' }, password: { type: 'string' } },
  words: { min: 2, max: 2 },
  needs: 'database',
  run: async (context, words, options) => {
    const { roles } = await context.access()
    const role = await findRoleByName(roles, textOption(options, 'role') ?? 'authenticated')
    const given = textOption(options, 'password')
    const password = given ?? nanoid(PASSWORD_LENGTH)
    const { id, documentId, username, email } = await createUser(await context.users(), {
      username: wordAt(words, 0),
      email: wordAt(words, 1),
      password,
      role: role.documentId,
      confirmed: true,
    })
    const made = given === undefined ? `. The password is shown only now:\n${password}` : '.'
    return {
      data: {
        id,
        documentId,
        username,
        email,
        role: role.type,
        ...(given === undefined && { password }),
      },
      text: `Created the user ${username} with the role ${role.type}${made}`,
    }
  },
}

const role: Command = {
  usage: 'user role <username or email> <type>',
  summary: 'change the role of an end user',
  options: {},
  words: { min: 2, max: 2 },
  needs: 'database',
  run: async (context, words) => {
    const { roles } = await context.access()
    const users = await context.users()
    const name = wordAt(words, 0)
    const user = await findNamedUser(users, name)
    if (user === null) throw new NotFoundError(`There is no user ${name}`)
    const to = await findRoleByName(roles, wordAt(words, 1))
    const { id, documentId, username, email } = await updateUser(users, String(user.id), {
      role: to.documentId,
    })
    return {
      data: { id, documentId, username, email, role: to.type },
      text: `${username} has the role ${to.type} now.`,
    }
  },
}

export const USER_COMMANDS: readonly Command[] = [create, role]
