import fs from 'node:fs'
import promises from 'node:fs/promises'
import type { FindSimulation } from './patch-time.ts'
import { functionOf, replaceMember } from './replace-member.ts'

/** Asynchronous functions of `node:fs/promises` that the programs use. */
const NAMES = [
  'access',
  'copyFile',
  'link',
  'lstat',
  'mkdir',
  'mkdtemp',
  'readFile',
  'readdir',
  'realpath',
  'rename',
  'rm',
  'rmdir',
  'stat',
  'writeFile',
] as const

/** Programs of a simulation run file operations at once, so that no thread decides the order. */
export function patchFiles(find: FindSimulation): void {
  for (const name of NAMES) {
    const real = functionOf(promises, name)
    const synchronous = functionOf(fs, `${name}Sync`)
    replaceMember(promises, name, (...args: unknown[]) => {
      const simulation = find()
      if (!simulation?.current) return real(...args)
      return new Promise((resolve, reject) => {
        setImmediate(() => {
          try {
            resolve(synchronous(...args))
          } catch (error) {
            reject(error instanceof Error ? error : new Error(String(error)))
          }
        })
      })
    })
  }
}
