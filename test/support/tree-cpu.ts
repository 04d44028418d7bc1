import { readdirSync, readFileSync } from 'node:fs'

/** Clock ticks per second in `/proc`, the same on every Linux. */
const TICKS = 100

interface Stat {
  readonly parent: number
  readonly cpuMs: number
}

/**
 * Returns the CPU time of this process and all its descendants, ended ones included, in milliseconds. On other systems
 * than Linux that of this process alone.
 */
export function readTreeCpuMs(): number {
  if (process.platform !== 'linux') {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1_000
  }
  const stats = readStats()
  const sumOf = (pid: number): number =>
    [...stats]
      .filter(([, { parent }]) => parent === pid)
      .reduce((sum, [child]) => sum + sumOf(child), stats.get(pid)?.cpuMs ?? 0)
  return sumOf(process.pid)
}

function readStats(): ReadonlyMap<number, Stat> {
  const stats = new Map<number, Stat>()
  for (const name of readdirSync('/proc')) {
    const pid = Number(name)
    const stat = Number.isInteger(pid) ? readStat(pid) : null
    if (stat !== null) stats.set(pid, stat)
  }
  return stats
}

/** Null if the process has ended. The name of the program is in parentheses and may contain anything. */
function readStat(pid: number): Stat | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
    return { parent: Number(fields[1]), cpuMs: (ticks * 1_000) / TICKS }
  } catch {
    return null
  }
}
