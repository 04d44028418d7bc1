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
import type { EntryState } from '../../api/entries.ts'
import { notify, notifyFailure } from '../../design/toasts.tsx'
import { useTexts } from '../../texts/texts.ts'

/** What takes an action back, where something does: for entries that were all in this state. */
const UNDONE_BY: Readonly<Partial<Record<BulkAction, readonly [EntryState, BulkAction]>>> = {
  publish: ['draft', 'unpublish'],
  unpublish: ['published', 'publish'],
}

export interface BulkRequest {
  readonly action: BulkAction
  readonly target: BulkTarget
  /** The states of those that are named. */
  readonly states: readonly (EntryState | undefined)[]
}

/** Runs actions on many entries: how far it is, what failed, and a way back where there is one. */
export function useBulk(uid: string, locale: string | null) {
  const { t } = useTexts()
  const client = useQueryClient()
  const [progress, setProgress] = useState<BulkProgress | null>(null)
  const [failures, setFailures] = useState<readonly BulkResult[]>([])
  const stop = useRef<AbortController>(undefined)

  const run = async ({ action, target, states }: BulkRequest): Promise<void> => {
    stop.current = new AbortController()
    try {
      const { signal } = stop.current
      const results = await runBulk({
        uid,
        action,
        target,
        locale,
        onProgress: setProgress,
        signal,
      })
      const failed = results.filter(hasFailed)
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
  ): (() => void) | undefined => {
    const [state, inverse] = UNDONE_BY[action] ?? []
    const isSame = states.length > 0 && states.every((one) => one === state)
    if (inverse === undefined || !isSame) return undefined
    const target = results.filter((one) => !hasFailed(one)).map(({ documentId }) => documentId)
    return () => void run({ action: inverse, target, states: [] })
  }

  return {
    run,
    progress,
    failures,
    forgetFailures: () => setFailures([]),
    stop: () => stop.current?.abort(),
  }
}
