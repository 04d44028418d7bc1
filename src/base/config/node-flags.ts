import { setFlagsFromString } from 'node:v8'

/** The flags of Node for servers, see docs/performance.md. `npm start` and the image have the same. */
export const NODE_FLAGS = [
  '--enable-source-maps',
  '--max-semi-space-size=16',
  '--heap-growing-percent=100',
] as const

type Execve = (path: string, args: readonly string[], env: NodeJS.ProcessEnv) => never

/** Restarts the process with missing flags, under its id. Without `execve` (Node 20), sets them at run time. */
export function adoptNodeFlags(): void {
  const missing = NODE_FLAGS.filter((flag) => !process.execArgv.includes(flag))
  if (missing.length === 0) return
  if ('execve' in process && process.platform !== 'win32') {
    const execve = process.execve as Execve
    const args = [process.execPath, ...process.execArgv, ...missing, ...process.argv.slice(1)]
    execve(process.execPath, args, process.env)
  }
  process.setSourceMapsEnabled(true)
  setFlagsFromString('--heap-growing-percent=100')
}
