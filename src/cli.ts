#!/usr/bin/env node
import { type OpenedContext, runCli } from './cli/run-cli.ts'

process.exitCode = await runCli(process.argv.slice(2), openContext, {
  out: (text) => console.log(text),
  error: (text) => console.error(text),
})

/** Opens the deployment that the environment names, beside a running server or alone. */
function openContext(): Promise<OpenedContext> {
  return Promise.reject(new Error('The command line is not connected to a deployment yet'))
}
