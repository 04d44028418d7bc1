import { useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import {
  type BulkAction,
  type BulkProgress,
  type BulkResult,
  type BulkTarget,
  hasFailed,
  runBulk,
} from '../../api/bulk.ts'
import type { TypeSummary } from '../../api/content-types.ts'
import type { EntryState } from '../../api/entries.ts'
import { notify, notifyFailure, type Undo } from '../../design/toasts.tsx'
import { useTexts } from '../../texts/texts.ts'
import { type DeletedEntry, useUndoDeletion } from '../trash/use-undo-deletion.ts'

/** The inverse of an action, for entries that were all in one state. */
const INVERSE_ACTIONS: Readonly<Partial<Record<BulkAction, readonly [EntryState, BulkAction]>>> = {
  publish: ['draft', 'unpublish'],
  unpublish: ['published', 'publish'],
}

export interface BulkRequest {
  readonly action: BulkAction
  readonly target: BulkTarget
  readonly states: readonly (EntryState | undefined)[]
  /** Called before the lists refresh. */
  readonly onDone?: () => void
}

/** Runs bulk actions, with progress, failures and an undo where possible. */
export function useBulk(type: TypeSummary, locale: string | null) {
  const { uid } = type
  const { t } = useTexts()
  const undoDeletion = useUndoDeletion(type, locale)
  const client = useQueryClient()
  const [progress, setProgress] = useState<BulkProgress | null>(null)
  const [failures, setFailures] = useState<readonly BulkResult[]>([])
  const stop = useRef<AbortController>(undefined)

  const run = async ({ action, target, states, onDone }: BulkRequest): Promise<void> => {
    stop.current = new AbortController()
    try {
      const { signal } = stop.current
      const work = { uid, action, target, locale, onProgress: setProgress, signal }
      const results = await runBulk(work)
      const failed = results.filter(hasFailed)
      onDone?.()
      setFailures(failed)
      const count = results.length - failed.length
      if (count > 0) notify(t(`bulk.done.${action}`, { count }), undoOf(action, results, states))
    } catch (error) {
      notifyFailure(error)
    } finally {
      setProgress(null)
      await client.invalidateQueries({ queryKey: ['content', uid] })
      await client.invalidateQueries({ queryKey: ['counts'] })
    }
  }

  const undoOf = (
    action: BulkAction,
    results: readonly BulkResult[],
    states: readonly (EntryState | undefined)[],
  ): Undo | undefined => {
    if (states.length === 0) return undefined
    const done = doneOf(results, states)
    if (action === 'delete') return undoDeletion === null ? undefined : () => undoDeletion(done)
    const inverse = inverseOf(action, states)
    if (inverse === null) return undefined
    const target = done.map(({ documentId }) => documentId)
    return () => run({ action: inverse, target, states: [] })
  }

  return {
    run,
    progress,
    failures,
    forgetFailures: () => setFailures([]),
    stop: () => stop.current?.abort(),
    undoDeletion,
  }
}

function inverseOf(
  action: BulkAction,
  states: readonly (EntryState | undefined)[],
): BulkAction | null {
  const [state, inverse = null] = INVERSE_ACTIONS[action] ?? []
  return states.every((one) => one === state) ? inverse : null
}

function doneOf(
  results: readonly BulkResult[],
  states: readonly (EntryState | undefined)[],
): readonly DeletedEntry[] {
  return results.flatMap((one, at) =>
    hasFailed(one) ? [] : [{ documentId: one.documentId, state: states[at] }],
  )
}
