export interface ArgumentsAnswer {
  readonly text: string
  readonly exitCode: 0 | 2
}

/** Returns the usage text and exit status for the arguments of a program without options, or null without arguments. */
export function answerArguments(args: readonly string[], usage: string): ArgumentsAnswer | null {
  const [first] = args
  if (first === undefined) return null
  if (first === '--help' || first === '-h') return { text: usage, exitCode: 0 }
  return {
    text: `unknown argument ${JSON.stringify(first.slice(0, 200))}\n\n${usage}`,
    exitCode: 2,
  }
}

export function refuseArguments(usage: string): void {
  const answer = answerArguments(process.argv.slice(2), usage)
  if (answer === null) return
  const output = answer.exitCode === 0 ? process.stdout : process.stderr
  output.write(`${answer.text}\n`)
  process.exit(answer.exitCode)
}
