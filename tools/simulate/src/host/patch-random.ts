import crypto, { webcrypto } from 'node:crypto'
import type { Random } from '../core/random.ts'
import type { FindSimulation } from './patch-time.ts'
import { functionOf, replaceMember } from './replace-member.ts'

type FindRandom = () => Random | null

/** Patches all sources of random numbers for programs of a simulation. */
export function patchRandom(find: FindSimulation): void {
  const entropy: FindRandom = () => {
    const simulation = find()
    return simulation?.current ? simulation.entropy : null
  }
  patchMath(entropy)
  patchBytes(entropy)
}

function patchMath(find: FindRandom): void {
  const real = Math.random
  replaceMember(Math, 'random', () => find()?.next() ?? real())
}

function isView(value: unknown): value is ArrayBufferView {
  return ArrayBuffer.isView(value)
}

function fillView(random: Random, view: ArrayBufferView): ArrayBufferView {
  random.writeTo(new Uint8Array(view.buffer, view.byteOffset, view.byteLength))
  return view
}

function patchBytes(find: FindRandom): void {
  const realBytes = functionOf(crypto, 'randomBytes')
  replaceMember(crypto, 'randomBytes', (size: unknown, ...rest: unknown[]) => {
    const random = find()
    if (random === null || rest.length > 0) return realBytes(size, ...rest)
    return fillView(random, Buffer.alloc(Number(size)))
  })
  const realFill = functionOf(crypto, 'randomFillSync')
  replaceMember(crypto, 'randomFillSync', (view: unknown, ...rest: unknown[]) => {
    const random = find()
    return random === null || !isView(view) ? realFill(view, ...rest) : fillView(random, view)
  })
  const realValues = functionOf(webcrypto, 'getRandomValues').bind(webcrypto)
  const getRandomValues = (view: unknown): unknown => {
    const random = find()
    return random === null || !isView(view) ? realValues(view) : fillView(random, view)
  }
  replaceMember(webcrypto, 'getRandomValues', getRandomValues)
  patchDerived(find)
}

function patchDerived(find: FindRandom): void {
  const realUuid = functionOf(crypto, 'randomUUID')
  const randomUUID = (...args: unknown[]): unknown => {
    const random = find()
    return random === null ? realUuid(...args) : uuidOf(random)
  }
  replaceMember(crypto, 'randomUUID', randomUUID)
  replaceMember(webcrypto, 'randomUUID', randomUUID)
  const realInt = functionOf(crypto, 'randomInt')
  replaceMember(crypto, 'randomInt', (...args: unknown[]) => {
    const random = find()
    const [low, high] = args.length === 1 ? [0, Number(args[0])] : args.map(Number)
    return random === null || low === undefined || high === undefined
      ? realInt(...args)
      : random.between(low, high - 1)
  })
}

function uuidOf(random: Random): string {
  const bytes = Buffer.alloc(16)
  random.writeTo(bytes)
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
