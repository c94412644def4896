import type { Project } from "@parley/client"
import { Button, Title } from "@mantine/core"
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { Link, useNavigate } from "react-router"
import { PAGE_PATHS } from "../../../src/pagePaths.ts"
import { CHATS_KEY } from "../../api/chats.ts"
import { parley } from "../../api/parley.ts"
import { projectChatsQuery, projectsQuery } from "../../api/projects.ts"
import { newChatPath } from "../../projects/projectPath.ts"
import { useProjectMessages } from "../../projects/useProjectMessages.ts"
import { ConfirmDialog } from "../../shell/ConfirmDialog.tsx"
import { Loading } from "../../shell/Loading.tsx"
import { MenuButton } from "../../shell/menu/MenuButton.tsx"
import { Page } from "../../shell/Page.tsx"
import { ProblemNotice } from "../../shell/ProblemNotice.tsx"
import { Icon } from "../../theme/Icon.tsx"
import { NotFoundPage } from "../NotFoundPage.tsx"
import { ProjectForm } from "./ProjectForm.tsx"
import classes from "./ProjectsPage.module.css"

/** The page of one project: its chats, and the instructions and documents that all replies in them read. */
export const ProjectPage = ({ projectId }: { readonly projectId: string }) => {
  const { t } = useProjectMessages()
  const { data: projects, error, refetch } = useQuery(projectsQuery)
  const project = projects?.find(({ id }) => id === projectId)
  if (project !== undefined) return <ShownProject project={project} />
  if (projects !== undefined) return <NotFoundPage>{t("projects.gone")}</NotFoundPage>
  return error === null ? <Loading /> : <ProblemNotice error={error} onRetry={() => void refetch()} />
}

const ShownProject = ({ project }: { readonly project: Project }) => {
  const { t } = useProjectMessages()
  const [isDeleting, setDeleting] = useState(false)
  const { id, name } = project
  return (
    <Page
      title={name}
      lead={
        <Link className={classes.back} to={PAGE_PATHS.projects}>
          {t("projects.back")}
        </Link>
      }
      actions={
        <div className={classes.actions}>
          <Button component={Link} to={newChatPath(id)}>
            {t("projects.chat")}
          </Button>
          <MenuButton
            label={t("projects.menu", { name })}
            className={classes.menu}
            entries={[
              { label: t("projects.delete"), icon: "trash", isDangerous: true, onSelect: () => setDeleting(true) }
            ]}
          >
            <Icon name="dots" />
          </MenuButton>
        </div>
      }
    >
      <Chats projectId={id} />
      <ProjectForm project={project} />
      {isDeleting && <DeleteProject project={project} onClose={() => setDeleting(false)} />}
    </Page>
  )
}

const Chats = ({ projectId }: { readonly projectId: string }) => {
  const { day, t } = useProjectMessages()
  const { data, error, fetchNextPage, hasNextPage, refetch } = useInfiniteQuery(projectChatsQuery(projectId))
  const chats = data?.pages.flatMap((page) => page.chats)
  return (
    <section className={classes.section} aria-label={t("projects.chats")}>
      <Title order={2} size="h4">
        {t("projects.chats")}
      </Title>
      {error !== null && <ProblemNotice error={error} onRetry={() => void refetch()} />}
      {chats?.length === 0 && <p className={classes.about}>{t("projects.chats.none")}</p>}
      {chats !== undefined && chats.length > 0 && (
        <ul className={classes.list}>
          {chats.map(({ id, title, updatedAt }) => (
            <li key={id} className={classes.row}>
              <Link className={classes.name} to={`/chats/${id}`}>
                {title.trim() === "" ? t("chat.untitled") : title}
              </Link>
              <span className={classes.about}>{day(updatedAt)}</span>
            </li>
          ))}
        </ul>
      )}
      {hasNextPage && (
        <Button variant="default" mt="sm" onClick={() => void fetchNextPage()}>
          {t("chats.more")}
        </Button>
      )}
    </section>
  )
}

interface DeleteProjectProps {
  readonly project: Project
  readonly onClose: () => void
}

const DeleteProject = ({ onClose, project: { id, name } }: DeleteProjectProps) => {
  const { t } = useProjectMessages()
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const remove = useMutation({
    mutationFn: () => parley.call("deleteProject", { path: { id } }),
    onSuccess: async () => {
      await navigate(PAGE_PATHS.projects, { replace: true })
      await Promise.all(
        [projectsQuery.queryKey, CHATS_KEY].map((queryKey) => queryClient.invalidateQueries({ queryKey }))
      )
    }
  })
  return (
    <ConfirmDialog
      title={t("projects.delete.title")}
      text={t("projects.delete.text", { name })}
      action={t("action.delete")}
      isBusy={remove.isPending}
      problem={remove.error ?? undefined}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    />
  )
}
