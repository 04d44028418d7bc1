import { listDeadLetters, retryDeadLetters } from '../changes/extensions/dead-letters.ts'
import { examineFollowers } from '../changes/extensions/follower-health.ts'
import { restartBuilds } from '../changes/search/build-index.ts'
import { didYouMean } from '../base/near-miss.ts'
import type { Schema } from '../schema/plan.ts'
import { type Command, textOption, UsageError } from './command.ts'
import { formatTable, formatTime } from './table.ts'

const restart: Command = {
  usage: 'log restart',
  summary:
    'give the commit log a new identity after you restored a backup, so that all its readers start over',
  options: {},
  words: { min: 0, max: 0 },
  needs: 'database',
  run: async ({ restartLog }) => {
    const { log, seq } = await restartLog()
    return {
      data: { log, seq },
      text: `The commit log has a new identity and continues after ${seq}. Apps that sync fetch everything again.`,
    }
  },
}

const listFollowers: Command = {
  usage: 'extension list',
  summary: 'list the extensions that follow commits, and their positions',
  options: {},
  words: { min: 0, max: 0 },
  needs: 'database',
  run: async ({ content }) => {
    const { documents } = await content()
    const data = await examineFollowers(documents.database)
    const rows = data.map(({ extension, behind, pending, dead, missed }) => [
      extension,
      String(behind),
      String(pending),
      String(dead),
      missed === null ? '-' : `${missed.from} to ${missed.to}`,
    ])
    return { data, text: formatTable(['EXTENSION', 'BEHIND', 'PENDING', 'FAILED', 'MISSED'], rows) }
  },
}

const listFailures: Command = {
  usage: 'extension failures [--extension <name>]',
  summary: 'list the commits that an extension could not process',
  options: { extension: { type: 'string' } },
  words: { min: 0, max: 0 },
  needs: 'database',
  run: async ({ content }, _words, options) => {
    const { documents } = await content()
    const extension = textOption(options, 'extension') ?? null
    const data = await listDeadLetters(documents.database, extension)
    const rows = data.map((letter) => [letter.id, formatTime(letter.deadAt, '-'), letter.message])
    return { data, text: formatTable(['ID', 'FAILED', 'ERROR'], rows) }
  },
}

const retryFailures: Command = {
  usage: 'extension retry [<id>] [--extension <name>]',
  summary: 'call an extension again for one failure, or for all of an extension',
  options: { extension: { type: 'string' } },
  words: { min: 0, max: 1 },
  needs: 'database',
  run: async ({ content }, [id = null], options) => {
    const extension = textOption(options, 'extension') ?? null
    if (id === null && extension === null) throw new UsageError('Name an id or an --extension')
    const { documents } = await content()
    const retried = await retryDeadLetters(documents.database, { id, extension }, documents.now())
    return { data: { retried }, text: `${retried} calls will be repeated by a running server.` }
  },
}

export const LOG_COMMANDS: readonly Command[] = [
  restart,
  listFollowers,
  listFailures,
  retryFailures,
]

const rebuildSearch: Command = {
  usage: 'search rebuild [<type>…]',
  summary: 'build the search index of content-types again',
  help: 'A running server builds the index in the background, or the next server that starts. Searches keep working with the rows that exist. Name content-types by their singular names; the default is all of them.',
  options: {},
  words: { min: 0, max: 100 },
  needs: 'database',
  run: async ({ content }, names) => {
    const { documents, schema } = await content()
    const types = searchedTypes(schema, names)
    await restartBuilds(documents.database, types)
    const text =
      types.length === 0
        ? 'No content-type has the option search.'
        : `The index of ${types.join(', ')} will be built again by a running server.`
    return { data: { types }, text }
  },
}

/** @throws UsageError for a content-type without search */
function searchedTypes({ contentTypes }: Schema, names: readonly string[]): readonly string[] {
  const searched = [...contentTypes.values()].filter(({ search }) => search !== null)
  const known = searched.map(({ singularName }) => singularName)
  const unknown = names.find((name) => !known.includes(name))
  if (unknown !== undefined) {
    throw new UsageError(`No content-type ${unknown} has search${didYouMean(unknown, known)}`)
  }
  const wanted = names.length === 0 ? known : names
  return searched.filter(({ singularName }) => wanted.includes(singularName)).map(({ uid }) => uid)
}

export const SEARCH_COMMANDS: readonly Command[] = [rebuildSearch]
