import type { AttributePlan, ContentTypePlan } from './plan.ts'

const USUAL: readonly string[] = [
  'title',
  'name',
  'label',
  'headline',
  'subject',
  'displayName',
  'username',
]

export function titleFieldOf({ attributes }: Pick<ContentTypePlan, 'attributes'>): string {
  const texts = [...attributes.values()].filter(isText)
  const named = USUAL.find((title) => texts.some(({ name }) => name === title))
  const first = texts.find((plan) => plan.kind === 'scalar' && plan.type === 'string') ?? texts[0]
  return named ?? first?.name ?? 'documentId'
}

function isText(plan: AttributePlan): boolean {
  return plan.kind === 'scalar' && (plan.type === 'string' || plan.type === 'text')
}
