select composition_kind, workflow, len(atomic_tasks) as steps from compositions where composition_id = $id
