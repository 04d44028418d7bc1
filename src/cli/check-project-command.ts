import { checkProject, type ProjectCheck } from './check-project.ts'
import { type Command, wordAt } from './command.ts'
import { formatTable } from './table.ts'

export const CHECK_PROJECT_COMMAND: Command = {
  usage: 'check-project <folder>',
  summary: 'report which parts of a project of the reference would be served',
  help: `  reports which parts of a project of the reference, or of a folder of content-types, would be served,
  without a database; the exit status is 1 if it cannot start`,
  options: {},
  words: { min: 1, max: 1 },
  needs: 'nothing',
  run: async (_, words) => {
    const data = await checkProject(wordAt(words, 0))
    return { data, text: formatProjectCheck(data), failed: data.faults.length > 0 }
  },
}

function formatProjectCheck({ types, faults, warnings, leftBehind }: ProjectCheck): string {
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
    ...listed('Errors that prevent a start:', faults),
    ...listed('Warnings of a start:', warnings),
    ...listed('Not used, as no code of a project is run:', leftBehind),
    faults.length > 0 ? 'It does not start as it is.' : 'It starts as it is.',
  ].join('\n')
}

function listed(title: string, sentences: readonly string[]): readonly string[] {
  return sentences.length === 0 ? [] : [title, ...sentences.map((each) => `  - ${each}`), '']
}
