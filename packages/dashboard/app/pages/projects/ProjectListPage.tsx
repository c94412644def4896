import { Button, Group, Modal, Text, TextInput } from "@mantine/core"
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { Link, useNavigate } from "react-router"
import { parley } from "../../api/parley.ts"
import { projectsQuery } from "../../api/projects.ts"
import { projectPath } from "../../projects/projectPath.ts"
import { useProjectMessages } from "../../projects/useProjectMessages.ts"
import { Loading } from "../../shell/Loading.tsx"
import { Page } from "../../shell/Page.tsx"
import { ProblemNotice } from "../../shell/ProblemNotice.tsx"
import { Icon } from "../../theme/Icon.tsx"
import classes from "./ProjectsPage.module.css"

/** The page with the person's projects by name, and the form of a new one. */
export const ProjectListPage = () => {
  const { language, t } = useProjectMessages()
  const { data: projects, error, refetch } = useQuery(projectsQuery)
  const [isMaking, setMaking] = useState(false)
  const shown = projects?.toSorted((one, other) => one.name.localeCompare(other.name, language))
  return (
    <Page
      title={t("nav.projects")}
      lead={t("projects.lead")}
      actions={<Button onClick={() => setMaking(true)}>{t("projects.new")}</Button>}
    >
      {error !== null && <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {shown === undefined ? (
        error === null && <Loading />
      ) : shown.length === 0 ? (
        <div className={classes.none}>
          <strong>{t("projects.none")}</strong>
          <Text c="dimmed">{t("projects.none.text")}</Text>
        </div>
      ) : (
        <ul className={classes.list}>
          {shown.map(({ documentIds, id, name }) => (
            <li key={id} className={classes.row}>
              <Icon name="folder" />
              <Link className={classes.name} to={projectPath(id)}>
                {name}
              </Link>
              <span className={classes.about}>{t("projects.documents", { count: documentIds.length })}</span>
            </li>
          ))}
        </ul>
      )}
      {isMaking && <NewProject onClose={() => setMaking(false)} />}
    </Page>
  )
}

const NewProject = ({ onClose }: { readonly onClose: () => void }) => {
  const { t } = useProjectMessages()
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const [name, setName] = useState("")
  const create = useMutation({
    mutationFn: () => parley.call("createProject", { body: { name } }),
    onSuccess: async ({ id }) => {
      await queryClient.invalidateQueries({ queryKey: projectsQuery.queryKey })
      await navigate(projectPath(id))
    }
  })
  return (
    <Modal opened onClose={onClose} title={t("projects.new")} closeButtonProps={{ "aria-label": t("action.close") }}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          create.mutate()
        }}
      >
        <TextInput
          label={t("projects.name")}
          data-autofocus
          maxLength={100}
          value={name}
          onChange={({ currentTarget: { value } }) => setName(value)}
        />
        {create.error !== null && <ProblemNotice error={create.error} onDismiss={create.reset} />}
        <Group justify="flex-end" gap="xs" mt="md">
          <Button variant="default" onClick={onClose}>
            {t("action.cancel")}
          </Button>
          <Button type="submit" loading={create.isPending} disabled={name.trim() === ""}>
            {t("projects.create")}
          </Button>
        </Group>
      </form>
    </Modal>
  )
}
