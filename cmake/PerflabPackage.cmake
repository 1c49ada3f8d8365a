# Install rules and the relocatable archive.
