using Microsoft.AspNetCore.Http.Features;

namespace FastCgi.AspNetCore.Features;

// Every param by its name, HTTP_* too. An empty one reads as undefined, as web servers send those for what they lack;
// an empty HTTP_* is empty.
internal sealed partial class RequestFeatures : IServerVariablesFeature
{
    private Dictionary<string, string?>? _setServerVariables;

    string? IServerVariablesFeature.this[string variableName]
    {
        get
        {
            ArgumentException.ThrowIfNullOrEmpty(variableName);
            return _setServerVariables is not null && _setServerVariables.TryGetValue(variableName, out var value)
                ? value
                : _request.Read(static (cgi, name) => cgi.Params.GetServerVariable(name), variableName);
        }
        set
        {
            ArgumentException.ThrowIfNullOrEmpty(variableName);
            ThrowIfOver();
            _setServerVariables ??= new Dictionary<string, string?>(StringComparer.OrdinalIgnoreCase);
            _setServerVariables[variableName] = value;
        }
    }
}
