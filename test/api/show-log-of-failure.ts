import type { ServerProcess } from './server-process.ts'

/** Prints, after each test of this suite that fails, what its last servers said: nobody can ask them later. */
export function showLogOfFailure(servers: () => readonly ServerProcess[]): void {
  afterEach(function () {
    if (this.currentTest?.state !== 'failed') return
    for (const { pid, startedInMs, lastLines } of servers()) {
      const head = `server ${pid}, which started in ${Math.round(startedInMs)} ms:`
      process.stderr.write([head, ...lastLines, ''].join('\n'))
    }
  })
}
