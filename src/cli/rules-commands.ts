import { ApplicationError, CmsError } from '../base/errors.ts'
import { readJson } from './access-files.ts'
import { type Command, wordAt } from './command.ts'
import { parseRuleCases, type TestedCase, testRuleCases } from './rule-cases.ts'
import { formatTable } from './table.ts'

const test: Command = {
  usage: 'rules test <file>',
  summary:
    'check a table of (who, action, entry) against the stored permissions and their rules; changes nothing; see docs/rules.md',
  options: {},
  words: { min: 1, max: 1 },
  needs: 'database',
  run: async (context, words) => {
    const path = wordAt(words, 0)
    const input = await readJson(path)
    try {
      const cases = await testRuleCases(context, parseRuleCases(input))
      const failed = cases.filter((one) => one.allowed !== one.expected).length
      const text = `${formatCases(cases)}\n\n${cases.length - failed} of ${cases.length} cases are as expected.`
      return { data: { cases, failed }, text, failed: failed > 0 }
    } catch (error) {
      if (!(error instanceof CmsError)) throw error
      throw new ApplicationError(`${path}: ${error.message}`, {}, { cause: error })
    }
  },
}

export const RULES_COMMANDS: readonly Command[] = [test]

function formatCases(cases: readonly TestedCase[]): string {
  const rows = cases.map(({ case: name, who, action, expected, allowed, refusal }) => [
    allowed === expected ? 'ok' : 'FAILED',
    name,
    who,
    action,
    allowed ? 'allowed' : `refused: ${refusal ?? ''}`,
  ])
  return formatTable(['', 'CASE', 'WHO', 'ACTION', 'RESULT'], rows)
}
