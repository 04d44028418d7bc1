import { bundleProgram, type Mutation, type Program } from '../host/bundle.ts'

const NAMES = ['engine', 'server', 'setup', 'editor', 'device', 'receiver', 'auditor'] as const

export type Programs = Readonly<Record<(typeof NAMES)[number], Program>>

/** Bundles all programs of the simulation. @throws Error for a mutation of an unused file */
export async function bundlePrograms(mutations: readonly Mutation[] = []): Promise<Programs> {
  const left = new Set(mutations)
  const noted = new Map(mutations.map((mutation) => [mutation, () => left.delete(mutation)]))
  const bundle = (name: (typeof NAMES)[number]): Promise<Program> =>
    bundleProgram(`tools/simulate/src/guests/${name}.ts`, noted)
  const [engine, server, setup, editor, device, receiver, auditor] = await Promise.all([
    bundle('engine'),
    bundle('server'),
    bundle('setup'),
    bundle('editor'),
    bundle('device'),
    bundle('receiver'),
    bundle('auditor'),
  ])
  if (left.size > 0) throw new Error(`no program has ${[...left].map(({ file }) => file).join()}`)
  return { engine, server, setup, editor, device, receiver, auditor }
}
