import { createInterface } from 'node:readline/promises'
import { type ApplyReport, applyFiles } from '../transfer/apply/apply-files.ts'
import { findAccessFile } from '../transfer/apply/source-files.ts'
import type { Pruned } from '../transfer/apply/prune.ts'
import { applyAccessFile, formatAccessChanges } from './access-files.ts'
import {
  type Command,
  type CommandContext,
  type OptionValues,
  type Report,
  textOption,
  wordAt,
} from './command.ts'
import { progressBar } from './progress-bar.ts'
import { formatTable } from './table.ts'

export const APPLY_COMMAND: Command = {
  usage: 'apply <folder|file|-> [--key <attribute>] [--prune [--yes]] [--dry-run]',
  summary:
    'create and update documents from files (article.json, article.fr.ndjson, article.csv), and roles from access.json; repeatable; see docs/content-files.md',
  options: {
    key: { type: 'string' },
    prune: { type: 'boolean' },
    yes: { type: 'boolean' },
    'dry-run': { type: 'boolean' },
  },
  words: { min: 1, max: 1 },
  needs: 'database',
  run: (context, words, options) => runApply(context, wordAt(words, 0), options),
}

export async function runApply(
  context: CommandContext,
  path: string,
  options: OptionValues,
): Promise<Report> {
  const dryRun = options['dry-run'] === true
  const prune = options['prune'] === true
  const accessFile = await findAccessFile(path)
  const access = accessFile === null ? null : await applyAccessFile(context, accessFile, { dryRun })
  if (access !== null && accessFile === path) {
    return { data: { access }, text: formatAccessChanges(access) }
  }
  const opened = await context.openImport({ dryRun })
  const { schema, locales, documents, maxFileBytes } = opened
  const store = opened.destination?.files ?? null
  const bar = progressBar(process.stderr)
  const ended = new AbortController()
  const end = (): void => ended.abort()
  process.once('SIGINT', end)
  try {
    const report = await applyFiles(
      { schema, documents, locales: await locales(), store, maxFileBytes },
      {
        path,
        key: textOption(options, 'key') ?? null,
        prune,
        dryRun,
        input: process.stdin,
        confirm: (found) => {
          bar.end()
          return options['yes'] === true ? Promise.resolve(true) : ask(found)
        },
        onProgress: bar.show,
        signal: ended.signal,
      },
    )
    const failed = report.faults.length > 0 || !report.complete
    const text = formatApplyReport(report, { dryRun, prune })
    if (access === null) return { data: report, text, failed }
    return {
      data: { access, ...report },
      text: `${formatAccessChanges(access)}\n\n${text}`,
      failed,
    }
  } finally {
    process.off('SIGINT', end)
    bar.end()
  }
}

async function ask(found: Pruned): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return false
  const what = Object.entries(found).map(([uid, count]) => `${count} of ${uid}`)
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const answer = await terminal.question(`Delete ${what.join(', ')}, which no file names? [y/N] `)
    return /^y(?:es)?$/i.test(answer.trim())
  } finally {
    terminal.close()
  }
}

function formatApplyReport(
  { files, media, faults, pruned, complete }: ApplyReport,
  { dryRun, prune }: { readonly dryRun: boolean; readonly prune: boolean },
): string {
  const rows = Object.entries(files).map(([name, counts]) => {
    const { created, updated, unchanged, deleted, failed } = counts
    return [name, ...[created, updated, unchanged, deleted, failed].map(String)]
  })
  const failed = Object.values(files).reduce((sum, counts) => sum + counts.failed, 0)
  return [
    formatTable(['FILE', 'CREATED', 'UPDATED', 'UNCHANGED', 'DELETED', 'FAILED'], rows),
    ...mediaText(media),
    '',
    ...faults.map((fault) => `  - ${fault}`),
    ...(failed > faults.length ? [`  and ${failed - faults.length} more`] : []),
    ...(prune ? [pruneText(pruned, dryRun)] : []),
    ...(dryRun ? ['A dry run: nothing was stored.'] : []),
    ...(complete ? [] : ['Ended early: run it again to continue.']),
  ].join('\n')
}

function mediaText({ added, updated, unchanged }: ApplyReport['media']): readonly string[] {
  if (added + updated + unchanged === 0) return []
  return [`Media: ${added} added, ${updated} updated, ${unchanged} unchanged`]
}

function pruneText(pruned: Pruned | null, dryRun: boolean): string {
  if (pruned === null) {
    return 'Nothing was pruned: lines failed, or the deletion was not confirmed (--yes without a terminal).'
  }
  const found = Object.entries(pruned).map(([uid, count]) => `${count} of ${uid}`)
  if (found.length === 0) return 'Nothing to prune.'
  return `${dryRun ? 'Would prune' : 'Pruned'}: ${found.join(', ')}`
}
