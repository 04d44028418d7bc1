import type { Attributes } from '../../../api/attributes.ts'
import type { PermittedAction, Rule } from '../../../api/management.ts'
import type { Fault } from '../../../api/request.ts'
import type { EditedRule } from './edited-rules.ts'
import type { RuleHolders, Variables } from './variables.ts'

export interface RulesSectionProps {
  readonly rules: readonly EditedRule[]
  readonly holders: RuleHolders
  readonly actions: readonly PermittedAction[]
  readonly granted: ReadonlySet<string>
  readonly isReadOnly?: boolean
  /** The faults of a rule. Their paths begin at the rule. */
  readonly faultsOf: (key: number) => readonly Fault[]
  readonly onChange: (rules: readonly EditedRule[]) => void
}

export interface RuleRowProps extends Pick<
  RulesSectionProps,
  'holders' | 'granted' | 'isReadOnly'
> {
  readonly edited: EditedRule
  readonly actionsOf: (uid: string) => readonly string[]
  readonly faults: readonly Fault[]
  readonly isOpen: boolean
  readonly onOpen: (isOpen: boolean) => void
  readonly onEdit: (edited: EditedRule) => void
  readonly onRemove: () => void
}

export interface RuleFormProps extends Pick<
  RuleRowProps,
  'edited' | 'actionsOf' | 'faults' | 'onEdit'
> {
  readonly declared: Attributes
  /** With the attributes that only conditions name. */
  readonly attributes: Attributes
  /** False for a type that no longer exists. */
  readonly isKnown: boolean
  readonly variables: Variables
}

export interface PartProps extends RuleFormProps {
  readonly put: (members: Partial<Record<keyof Rule, unknown>>) => void
}
