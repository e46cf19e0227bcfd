namespace FastCgi.Protocol;

/// <summary>The variables that GET_VALUES can ask for (FastCGI 1.0, section 4.1).</summary>
[Flags]
public enum ManagementVariables
{
    /// <summary>None, or only unknown ones.</summary>
    None = 0,

    /// <summary>FCGI_MAX_CONNS: the maximum number of connections that the application accepts at once.</summary>
    MaxConnections = 1,

    /// <summary>FCGI_MAX_REQS: the maximum number of requests that the application serves at once.</summary>
    MaxRequests = 2,

    /// <summary>FCGI_MPXS_CONNS: whether one connection may carry several requests at once.</summary>
    MultiplexConnections = 4,

    /// <summary>All three.</summary>
    All = MaxConnections | MaxRequests | MultiplexConnections,
}
