import type { ScalarType } from '../../schema/definition.ts'
import {
  type AttributePlan,
  isMadeUid,
  isRequiredInWrites,
  type ScalarPlan,
  type ShapePlan,
} from '../../schema/plan.ts'
import { valueType } from './shape-members.ts'
import { type CodeScope, type Member, quoted } from './code.ts'

const GIVEN: Readonly<Partial<Record<ScalarType, string>>> = {
  decimal: 'number | string',
  biginteger: 'number | string',
  date: 'string',
  datetime: 'string | globalThis.Date',
  timestamp: 'string | globalThis.Date',
}

export function inputMembers(
  holder: ShapePlan,
  scope: CodeScope,
  mayBeUnfinished = !('draftAndPublish' in holder) || holder.draftAndPublish === true,
): { readonly create: readonly Member[]; readonly update: readonly Member[] } {
  const given = [...holder.attributes.values()].flatMap((attribute) => {
    const type = attribute.writable === false ? null : inputType(attribute, scope, mayBeUnfinished)
    return type === null ? [] : [{ attribute, type }]
  })
  return {
    create: given.map(({ attribute, type }) => [
      isAsked(attribute) && !mayBeUnfinished ? attribute.name : `${attribute.name}?`,
      type,
    ]),
    update: given.map(({ attribute, type }) => [`${attribute.name}?`, type]),
  }
}

function isAsked(attribute: AttributePlan): boolean {
  const hasDefault = attribute.kind === 'scalar' && attribute.default !== undefined
  // `required` of a relation applies to its owning side.
  const isInverse = attribute.kind === 'relation' && attribute.side === 'inverse'
  return isRequiredInWrites(attribute) && !hasDefault && !isInverse && !isMadeUid(attribute)
}

function scalarInput(attribute: ScalarPlan, mayBeUnfinished: boolean): string {
  const type = GIVEN[attribute.type] ?? valueType(attribute)
  return isRequiredInWrites(attribute) && !mayBeUnfinished ? type : `${type} | null`
}

function inputType(
  attribute: AttributePlan,
  scope: CodeScope,
  mayBeUnfinished: boolean,
): string | null {
  switch (attribute.kind) {
    case 'scalar':
      return scalarInput(attribute, mayBeUnfinished)
    case 'relation':
      if (!scope.mayRead(attribute.targetUid)) return null
      return linkInput(attribute.toMany)
    case 'media':
      return linkInput(attribute.multiple)
    case 'component': {
      const input = `${scope.nameOf(attribute.component().uid)}_Input`
      return attribute.repeatable ? `readonly ${input}[] | null` : `${input} | null`
    }
    case 'dynamiczone': {
      const elements = [...attribute.components().keys()].map(
        (uid) => `({ __component: ${quoted(uid)} } & ${scope.nameOf(uid)}_Input)`,
      )
      return `readonly (${elements.join(' | ') || 'never'})[] | null`
    }
  }
}

function linkInput(many: boolean): string {
  return many ? 'quire.ToMany' : 'quire.ToOne'
}
