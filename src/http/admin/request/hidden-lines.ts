import { factsOfLines, lineKey } from '../../../content/read/visible-facts.ts'
import { writeRulesOf } from '../../../content/rules/principal-rules.ts'
import { hasReadRules } from '../../../content/rules/visible-documents.ts'
import type { Planning } from '../../../content/planning/open-planning.ts'
import type { ReleaseItem } from '../../../content/planning/release-rows.ts'
import type { Principal } from '../../../people/access/principal.ts'
import { maySeeUnderRule } from './readable-types.ts'

export type PlannedLine = Pick<ReleaseItem, 'type' | 'documentId' | 'locale'>

/** The lines that the caller cannot see: by its permissions, or by rules that match none of their versions. */
export async function hiddenLines<Line extends PlannedLine>(
  principal: Principal,
  { documents, schema, locales }: Pick<Planning, 'documents' | 'schema' | 'locales'>,
  lines: readonly Line[],
): Promise<ReadonlySet<Line>> {
  const rules = writeRulesOf(principal)
  const { defaultCode } = await locales.current()
  const hidden = new Set<Line>()
  for (const type of new Set(lines.map((line) => line.type))) {
    const plan = schema.contentTypes.get(type)
    if (plan === undefined) continue
    const own = lines.filter((line) => line.type === type)
    const isRuled = hasReadRules(rules, plan)
    const facts = isRuled
      ? await factsOfLines(documents, rules, { plan, locale: defaultCode }, own)
      : null
    for (const line of own) {
      const isReadable = maySeeUnderRule(principal, plan, plan.localized ? [line.locale] : [])
      if (!isReadable || facts?.has(lineKey(line)) === false) hidden.add(line)
    }
  }
  return hidden
}
