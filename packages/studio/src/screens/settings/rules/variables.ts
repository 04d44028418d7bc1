import { useQuery } from '@tanstack/react-query'
import { type Attribute, type Attributes, isNumberType, targetOf } from '../../../api/attributes.ts'
import { declarationQuery } from '../../../api/content-types.ts'
import type { Option } from '../../../design/choice.tsx'
import { fieldLabel } from '../../../texts/field-words.ts'
import { labelInSentence } from '../../../texts/labels.ts'
import { type Texts, useTexts } from '../../../texts/texts.ts'

const USER_TYPE = 'plugin::users-permissions.user'

/** The principals of a rule. API tokens have no user, and administrators have no attributes. */
export type RuleHolders = 'users' | 'tokens' | 'administrators'

/** The authors of a version, which only rules compare. */
export const AUTHORS: Attributes = {
  createdBy: { type: 'relation', relation: 'manyToOne', target: USER_TYPE },
  updatedBy: { type: 'relation', relation: 'manyToOne', target: USER_TYPE },
}

/** The Studio has no list of users, so that rules compare them with variables only. */
export function takesConstant(attribute: Attribute): boolean {
  return attribute.type !== 'relation' || attribute.target.startsWith('api::')
}

export interface Variables {
  /** The operands that fit an attribute. */
  readonly fitting: (name: string, attribute: Attribute | undefined) => readonly Option[]
  readonly nameOf: (variable: string) => string
}

export function useVariables(holders: RuleHolders): Variables {
  const texts = useTexts()
  const isOfUsers = holders === 'users'
  const { data } = useQuery({ ...declarationQuery(USER_TYPE), enabled: isOfUsers })
  const ofUser = data?.attributes ?? {}
  const nameOf = (variable: string): string => nameOfVariable(variable, ofUser, texts)
  return {
    nameOf,
    fitting: (name, attribute) => {
      if (attribute === undefined) return []
      const paths = isOfUsers
        ? Object.entries(ofUser)
            .filter(([, one]) => fits(one, attribute))
            .map(([path]) => `$user.${path}`)
        : []
      const hasUser = isOfUsers || (holders === 'administrators' && Object.hasOwn(AUTHORS, name))
      const user = hasUser && targetOf(attribute) === USER_TYPE ? ['$user'] : []
      const now = ['datetime', 'timestamp'].includes(attribute.type) ? ['$now'] : []
      return [...user, ...now, ...paths].map((id) => ({ id, name: nameOf(id) }))
    },
  }
}

function nameOfVariable(variable: string, ofUser: Attributes, { t, language }: Texts): string {
  if (variable === '$user') return t('rule.user')
  if (variable === '$now') return t('rule.now')
  const [, first = '', ...rest] = variable.split('.')
  const attribute = Object.hasOwn(ofUser, first) ? ofUser[first] : undefined
  const steps = [fieldLabel(first, attribute, language), ...rest.map(labelInSentence)]
  return t('rule.ofUser', { name: steps.join(' › ') })
}

const TEXTS: readonly string[] = ['string', 'text', 'richtext', 'email', 'uid', 'enumeration']

/** Whether an attribute of the user can be compared with the attribute. */
function fits(ofUser: Attribute, attribute: Attribute): boolean {
  if (ofUser.private === true || ofUser.computed === true) return false
  if (attribute.type === 'relation') return targetOf(ofUser) === attribute.target
  return kindOf(ofUser) === kindOf(attribute) && kindOf(attribute) !== null
}

function kindOf({ type }: Attribute): string | null {
  if (TEXTS.includes(type)) return 'text'
  if (isNumberType(type)) return 'number'
  return ['boolean', 'date', 'time', 'datetime', 'timestamp'].includes(type) ? type : null
}
