select title, aliases, vendor, platform, category, also_in, description from applications where application = $id
