import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { type Json, ROOT_TOKEN, type TestServer } from './server.ts'

/**
 * The examples of a page: a `curl` line of an indented block, with the lines continued by a
 * backslash or an open quote.
 */
export function examplesIn(page: string): readonly string[] {
  const examples: string[] = []
  let isOpen = false
  for (const line of page.split('\n').filter((each) => each.startsWith('    '))) {
    if (isOpen) examples.push(`${examples.pop() ?? ''}\n${line}`)
    else if (line.startsWith('    curl ')) examples.push(line.trim())
    else continue
    isOpen = goesOn(examples.at(-1) ?? '')
  }
  return examples
}

function goesOn(example: string): boolean {
  return example.endsWith('\\') || example.split("'").length % 2 === 0
}

/** Runs an example in a shell as it is printed, and returns the JSON of the response. */
export async function runExample(
  example: string,
  server: TestServer,
  variables: Readonly<Record<string, string>> = {},
): Promise<Json> {
  const command = example.replace(/^curl /, "curl -sS -w '\\n%{http_code}' --max-time 20 ")
  const { stdout } = await promisify(execFile)('sh', ['-c', command], {
    env: {
      PATH: process.env['PATH'],
      QUIRE: `http://127.0.0.1:${server.port}`,
      TOKEN: ROOT_TOKEN,
      ...variables,
    },
  })
  const [, text = '', status] = /^([^]*)\n(\d{3})$/.exec(stdout) ?? []
  expect(status, `${example}\n${text}`).to.match(/^20\d$/)
  return JSON.parse(text)
}
