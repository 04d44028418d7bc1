import type { LocaleList } from '../content/locales/locales.ts'
import type { RenamedLocale } from '../server/locale-rename/rename-locale.ts'
import { type Command, type Report, textOption, wordAt } from './command.ts'
import { formatTable } from './table.ts'

const list: Command = {
  usage: 'locale list',
  summary: 'list the locales of content',
  options: {},
  words: { min: 0, max: 0 },
  needs: 'database',
  run: async ({ locales }) => reportOf(await (await locales()).current()),
}

const add: Command = {
  usage: 'locale add <code> [--name <name>] [--default]',
  summary: 'add a locale, such as fr or pt-BR',
  options: { name: { type: 'string' }, default: { type: 'boolean' } },
  words: { min: 1, max: 1 },
  needs: 'database',
  run: async ({ locales }, words, options) => {
    const name = textOption(options, 'name')
    const data = await (
      await locales()
    ).add({
      code: wordAt(words, 0),
      isDefault: options['default'] === true,
      ...(name === undefined ? {} : { name }),
    })
    return { data, text: `Added ${data.name}${data.isDefault ? ', now the default' : ''}.` }
  },
}

const makeDefault: Command = {
  usage: 'locale default <code>',
  summary: 'make a locale the default',
  options: {},
  words: { min: 1, max: 1 },
  needs: 'database',
  run: async ({ locales }, words) => {
    const data = await (await locales()).update(wordAt(words, 0), { isDefault: true })
    return { data, text: `${data.name} is now the default.` }
  },
}

const remove: Command = {
  usage: 'locale remove <code>',
  summary: 'remove a locale; its content is kept, and shown again when the locale is added again',
  options: {},
  words: { min: 1, max: 1 },
  needs: 'database',
  run: async ({ locales }, words) => {
    const data = await (await locales()).remove(wordAt(words, 0))
    return {
      data,
      text: `Removed ${data.name}. Its content is kept and comes back with \`quire locale add ${data.code}\`.`,
    }
  },
}

const rename: Command = {
  usage: 'locale rename <code> <new code> [--name <name>] [--dry-run]',
  summary: 'give a locale another code, in all content, permissions and plans',
  help: 'Stop all servers first. If the command is interrupted, repeat it, or start a server, which finishes the rename. --dry-run counts the rows and changes nothing.',
  options: { name: { type: 'string' }, 'dry-run': { type: 'boolean' } },
  words: { min: 2, max: 2 },
  needs: 'database',
  continues: 'locale rename',
  run: async ({ renameLocale }, words, options) => {
    const name = textOption(options, 'name') ?? null
    const isPlan = options['dry-run'] === true
    const asked = { from: wordAt(words, 0), to: wordAt(words, 1), name }
    const data = await renameLocale(asked, { isPlan })
    return { data, text: textOfRename(data, isPlan) }
  },
}

export const LOCALE_COMMANDS: readonly Command[] = [list, add, makeDefault, remove, rename]

function textOfRename({ from, to, rows }: RenamedLocale, isPlan: boolean): string {
  const entries = Object.entries(rows)
  const first = isPlan ? `A rename of ${from} to ${to} changes` : `Renamed ${from} to ${to} in`
  if (entries.length === 0) return `${first} the list of locales.`
  const lines = entries.map(([collection, count]) => [collection, String(count)])
  return `${first} the list of locales and these rows:\n${formatTable(['COLLECTION', 'ROWS'], lines)}`
}

function reportOf({ all }: LocaleList): Report {
  const rows = all.map(({ code, name, isDefault }) => [code, name, isDefault ? 'default' : ''])
  return { data: all, text: formatTable(['CODE', 'NAME', ''], rows) }
}
