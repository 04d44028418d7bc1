import type { LocaleList } from '../content/locales/locales.ts'
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

export const LOCALE_COMMANDS: readonly Command[] = [list, add, makeDefault, remove]

function reportOf({ all }: LocaleList): Report {
  const rows = all.map(({ code, name, isDefault }) => [code, name, isDefault ? 'default' : ''])
  return { data: all, text: formatTable(['CODE', 'NAME', ''], rows) }
}
