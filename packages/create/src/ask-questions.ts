import { createInterface } from 'node:readline/promises'
import { explainName } from './project-options.ts'

export interface Answers {
  readonly name: string
  readonly sample: boolean
  readonly language: 'typescript' | 'javascript'
}

/** Asks on the terminal for missing answers. An empty answer takes the default. */
export async function askQuestions(
  given: Partial<Answers>,
  defaults: Answers,
  { input = process.stdin, output = process.stderr } = {},
): Promise<Answers> {
  const terminal = createInterface({ input, output })
  try {
    const ask = async (question: string): Promise<string> =>
      (await terminal.question(question)).trim()
    let { name } = given
    while (name === undefined) {
      const answer = (await ask(`Name of the project (${defaults.name}): `)) || defaults.name
      const fault = explainName(answer)
      if (fault === null) name = answer
      else output.write(`${fault}.\n`)
    }
    const sample = given.sample ?? /^(?:y|$)/i.test(await ask('Begin with sample content? [Y/n] '))
    const language =
      given.language ??
      (/^(?:j|js|javascript)$/i.test(await ask('TypeScript or JavaScript? [TS/js] '))
        ? 'javascript'
        : 'typescript')
    return { name, sample, language }
  } finally {
    terminal.close()
  }
}
