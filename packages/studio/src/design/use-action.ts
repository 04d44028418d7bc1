import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError } from '../api/request.ts'
import { notify, notifyFailure } from './toasts.tsx'

export interface ActionOptions<Result> {
  /** The queries whose answers it changes, by the beginning of their keys. */
  readonly changes?: readonly string[]
  /** Said when it is done. */
  readonly says?: string
  readonly onDone?: (result: Result) => void
}

export interface Action {
  readonly isBusy: boolean
  /** What is wrong with a field, by its path joined with dots. */
  readonly faultOf: (path: string) => string | undefined
  /** What is wrong, where it is about no field that is asked for. */
  readonly problem: string | null
  readonly run: <Result>(work: () => Promise<Result>, options?: ActionOptions<Result>) => void
  readonly reset: () => void
}

/**
 * Runs what changes something. What is wrong with a field of a form stands at the field: `fields` names
 * them. Without fields a failure is a toast.
 */
export function useAction(fields: readonly string[] = []): Action {
  const client = useQueryClient()
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<Error | null>(null)
  const attempt = async <Result>(
    work: () => Promise<Result>,
    { changes = [], says, onDone }: ActionOptions<Result>,
  ): Promise<void> => {
    setBusy(true)
    setError(null)
    try {
      const result = await work()
      if (says !== undefined) notify(says)
      onDone?.(result)
      await Promise.all(changes.map((key) => client.invalidateQueries({ queryKey: [key] })))
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
