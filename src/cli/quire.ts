#!/usr/bin/env node
// The command `quire`. Servers load only their own modules, because those of all commands would delay the start.
import { adoptNodeFlags } from '../base/config/node-flags.ts'

const [command, ...rest] = process.argv.slice(2)
if (rest.length === 0 && (command === 'start' || command === 'dev')) {
  if (command === 'start') adoptNodeFlags()
  process.argv.splice(2, 1)
  await (command === 'start' ? import('../server/main.ts') : import('./dev/dev.ts'))
} else await import('./cli.ts')
