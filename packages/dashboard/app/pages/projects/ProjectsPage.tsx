import { useParams } from "react-router"
import { ProjectListPage } from "./ProjectListPage.tsx"
import { ProjectPage } from "./ProjectPage.tsx"

/** The person's projects, or the one that the address names. */
export const ProjectsPage = () => {
  const { projectId } = useParams()
  return projectId === undefined ? <ProjectListPage /> : <ProjectPage key={projectId} projectId={projectId} />
}
