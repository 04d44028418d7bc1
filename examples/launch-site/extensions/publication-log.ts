import { defineExtension, type Extension, ValidationError } from '@quire/server'

interface Stage {
  readonly name: string
  readonly by: string | null
  readonly at: string
}

/** The stages that may follow each stage. */
const NEXT: ReadonlyMap<string, readonly string[]> = new Map([
  ['Draft', ['In review']],
  ['In review', ['Changes requested', 'Approved']],
  ['Changes requested', ['In review']],
  ['Approved', ['In review']],
])

/** Adds each change of the editorial stage of an article to its attribute `stages`. */
export function publicationLog(now: () => Date = () => new Date()): Extension {
  return defineExtension({
    name: 'publication-log',
    contentTypes: {
      'api::article.article': {
        beforeWrite({ operation, data, previous, principal }) {
          if (operation !== 'create' && operation !== 'update') return data
          const before = textOf(previous?.stage, 'Draft')
          const stage = textOf(data.stage, before)
          const log = logOf(previous?.stages)
          if (stage === before) return { ...data, stages: log }
          if (NEXT.get(before)?.includes(stage) !== true) {
            throw new ValidationError(`An article cannot go from ${before} to ${stage}`)
          }
          const entry: Stage = { name: stage, by: principal.name, at: now().toISOString() }
          return { ...data, stages: [...log, entry] }
        },
      },
    },
  })
}

function textOf(value: unknown, fallback: string): string {
  return typeof value === 'string' ? value : fallback
}

function logOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
