import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError } from '../api/request.ts'
import { notify, notifyFailure, type Undo } from './toasts.tsx'

export interface ActionOptions<Result> {
  /** Key prefixes of the queries to invalidate. */
  readonly changes?: readonly string[]
  readonly says?: string
  readonly undo?: (result: Result) => Undo | undefined
  readonly onDone?: (result: Result) => void
}

export interface Action {
  readonly isBusy: boolean
  readonly faultOf: (path: string) => string | undefined
  readonly problem: string | null
  readonly run: <Result>(work: () => Promise<Result>, options?: ActionOptions<Result>) => void
  readonly reset: () => void
}

/**
 * Runs a mutation. Errors of the named `fields` show at the fields. Without `fields`, an error is a
 * toast.
 */
export function useAction(fields: readonly string[] = []): Action {
  const client = useQueryClient()
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<Error | null>(null)
  const attempt = async <Result>(
    work: () => Promise<Result>,
    { changes = [], says, undo, onDone }: ActionOptions<Result>,
  ): Promise<void> => {
    const readAgain = () =>
      Promise.all(changes.map((key) => client.invalidateQueries({ queryKey: [key] })))
    setBusy(true)
    setError(null)
    try {
      const result = await work()
      const takeBack = undo?.(result)
      if (says !== undefined) {
        notify(says, takeBack && (async () => [await takeBack(), await readAgain()]))
      }
      onDone?.(result)
      await readAgain()
    } catch (failure) {
      const known = failure instanceof Error ? failure : new Error(String(failure))
      if (fields.length === 0) notifyFailure(known)
      else setError(known)
    } finally {
      setBusy(false)
    }
  }
  const faults = error instanceof ApiError ? error.faults : []
  const faultOf = (path: string): string | undefined =>
    faults.find((fault) => fault.path.join('.') === path)?.message
  const isPlaced = fields.some((field) => faultOf(field) !== undefined)
  return {
    isBusy,
    faultOf,
    problem: error === null || isPlaced ? null : error.message,
    run: (work, options = {}) => void attempt(work, options),
    reset: () => setError(null),
  }
}
