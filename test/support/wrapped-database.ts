import { expect } from 'chai'
import type { Document } from 'mongodb'
import type { Database } from '../../src/mongo/connection/database.ts'
import type { Table } from '../../src/mongo/connection/table.ts'

export type Method = (...parts: readonly unknown[]) => unknown

/** Replaces methods. `change` returns the method itself to keep it. */
export function wrapMethods<T extends object>(
  target: T,
  change: (name: string | symbol, own: Method) => unknown,
): T {
  return new Proxy(target, {
    get: (_, name) => {
      const own: unknown = Reflect.get(target, name, target)
      return typeof own === 'function' ? change(name, (own as Method).bind(target)) : own
    },
  })
}

/** Runs `work` before the n-th call of a method. */
export function interruptedAt<T extends object>(
  target: T,
  method: string,
  at: number,
  work: () => Promise<void>,
): { readonly wrapped: T; readonly calls: () => number } {
  let calls = 0
  const wrapped = wrapMethods(target, (name, own) =>
    name !== method
      ? own
      : async (...parts: readonly unknown[]) => {
          calls += 1
          if (calls === at) await work()
          return own(...parts)
        },
  )
  return { wrapped, calls: () => calls }
}

/** Runs `work` before the first call of a method for a collection. */
export function beforeFirst(
  target: Database,
  [collection, call]: readonly [string, keyof Table<Document>],
  work: () => Promise<unknown>,
): Database {
  let isDone = false
  const table = (name: string): unknown =>
    wrapMethods(target.table(name), (method, own) =>
      name !== collection || method !== call
        ? own
        : async (...parts: readonly unknown[]) => {
            if (!isDone) {
              isDone = true
              await work()
            }
            return own(...parts)
          },
    )
  return wrapMethods(target, (method, own) => (method === 'table' ? table : own))
}

export function withoutTransactions(database: Database): Database {
  return Object.create(database, { hasTransactions: { value: false } }) as Database
}

export async function failureOf(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.then(
    () => null,
    (reason: unknown) => reason,
  )
  expect(error).to.be.instanceOf(Error)
  return (error as Error).message
}
