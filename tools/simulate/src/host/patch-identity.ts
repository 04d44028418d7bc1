import os from 'node:os'
import type { FindSimulation } from './patch-time.ts'
import { functionOf, replaceMember } from './replace-member.ts'

/** As in a container, where the program is the first process. */
const PID = 1

/** Patches the id of the process and the name of the machine, which the log and rows of the database show. */
export function patchIdentity(find: FindSimulation): void {
  const realPid = process.pid
  const isReplaced = Reflect.defineProperty(process, 'pid', {
    get: () => (find() === null ? realPid : PID),
    configurable: true,
    enumerable: true,
  })
  if (!isReplaced) throw new Error('pid cannot be replaced')
  const realName = functionOf(os, 'hostname')
  replaceMember(os, 'hostname', () => find()?.current?.name ?? realName())
}
