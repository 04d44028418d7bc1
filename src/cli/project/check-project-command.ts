import { checkProject, type ProjectCheck } from './check-project.ts'
import type { CustomCode } from './custom-code.ts'
import { type Command, wordAt } from '../command.ts'
import { formatTable } from '../table.ts'

export const CHECK_PROJECT_COMMAND: Command = {
  usage: 'check-project <folder>',
  summary: 'report which parts of a Strapi project Quire can serve',
  help: `  reports which parts of a Strapi project, or of a folder of content-types, Quire can serve;
  works without a database; the exit status is 1 if the project cannot start`,
  options: {},
  words: { min: 1, max: 1 },
  needs: 'nothing',
  run: async (_, words) => {
    const data = await checkProject(wordAt(words, 0))
    return { data, text: formatProjectCheck(data), failed: data.faults.length > 0 }
  },
}

export function formatProjectCheck({ types, faults, warnings, customCode }: ProjectCheck): string {
  const rows = types.map(({ uid, kind, attributes, draftAndPublish, localized }) => [
    uid,
    kind === 'singleType' ? 'single' : 'collection',
    `${attributes}`,
    draftAndPublish ? 'yes' : 'no',
    localized ? 'yes' : 'no',
  ])
  const head = ['CONTENT-TYPE', 'KIND', 'ATTRIBUTES', 'DRAFTS', 'LOCALES']
  return [
    ...(rows.length > 0 ? [formatTable(head, rows), ''] : []),
    ...listed('Errors that prevent startup:', faults),
    ...listed('Warnings at startup:', warnings),
    ...listed('Custom code, and the part of Quire that replaces it:', customCode.map(codeText)),
    faults.length > 0 ? 'It does not start as it is.' : 'It starts as it is.',
  ].join('\n')
}

const MAX_FILES = 3

function codeText({ what, files, replacedBy }: CustomCode): string {
  const more = files.length > MAX_FILES ? ` and ${files.length - MAX_FILES} more` : ''
  return `${what} (${files.slice(0, MAX_FILES).join(', ')}${more}): ${replacedBy}`
}

function listed(title: string, sentences: readonly string[]): readonly string[] {
  return sentences.length === 0 ? [] : [title, ...sentences.map((each) => `  - ${each}`), '']
}
