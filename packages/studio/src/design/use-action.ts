import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError, type Fault } from '../api/request.ts'
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
  /** The faults inside a part of `parts`, with paths that begin there. */
  readonly faultsWithin: (part: string) => readonly Fault[]
  readonly problem: string | null
  readonly run: <Result>(work: () => Promise<Result>, options?: ActionOptions<Result>) => void
  readonly reset: () => void
}

/**
 * Runs a mutation. Errors of the named `fields` show at the fields, and errors inside `parts` there. Without
 * `fields`, an error is a toast.
 */
export function useAction(fields: readonly string[] = [], parts: readonly string[] = []): Action {
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
  const faultsWithin = (part: string): readonly Fault[] =>
    faults
      .filter(({ path }) => path.length > 1 && path[0] === part)
      .map(({ path, message }) => ({ path: path.slice(1), message }))
  const isPlaced =
    fields.some((field) => faultOf(field) !== undefined) ||
    parts.some((part) => faultsWithin(part).length > 0)
  return {
    isBusy,
    faultOf,
    faultsWithin,
    problem: error === null || isPlaced ? null : error.message,
    run: (work, options = {}) => void attempt(work, options),
    reset: () => setError(null),
  }
}
