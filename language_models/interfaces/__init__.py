"""The APIs of model servers, one module each. A module has what `language_models.interface.Interface` lists."""
