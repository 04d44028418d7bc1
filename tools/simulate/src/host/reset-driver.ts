import { createRequire } from 'node:module'
import path from 'node:path'
import { ROOT } from './bundle.ts'

interface Original {
  readonly target: object
  readonly name: string
  readonly value: unknown
}

/**
 * The MongoDB driver is shared by all simulated processes, and each process patches it
 * (`src/mongo/connection/driver-patches`).
 *
 * @returns a function that takes the patches back, to be called before a process starts
 */
export function openDriverReset(): () => void {
  const load = createRequire(path.join(ROOT, 'package.json'))
  const errors: unknown = load('mongodb/lib/error.js')
  const connection: unknown = load('mongodb/lib/cmap/connection.js')
  const prototype = memberOf(memberOf(connection, 'Connection'), 'prototype')
  const originals = [
    originalOf(errors, 'isRetryableReadError'),
    originalOf(prototype, 'writeCommand'),
  ]
  return () => {
    for (const { target, name, value } of originals) Reflect.set(target, name, value)
  }
}

/**
 * The driver counts ids and has a random value for the whole Node process.
 *
 * @returns a function that restarts the counter, to be called before a run
 */
export function openIdReset(): () => void {
  const mongodb: unknown = createRequire(path.join(ROOT, 'package.json'))('mongodb')
  const ids = memberOf(mongodb, 'ObjectId')
  return () => {
    Reflect.set(ids, 'index', 1)
    Reflect.set(ids, 'PROCESS_UNIQUE', null)
  }
}

function originalOf(target: unknown, name: string): Original {
  if (!isObject(target)) throw new Error(`there is no object with ${name}`)
  return { target, name, value: Reflect.get(target, name) }
}

function memberOf(target: unknown, name: string): object {
  const member: unknown = isObject(target) ? Reflect.get(target, name) : undefined
  if (!isObject(member)) throw new Error(`there is no ${name}`)
  return member
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function'
}
