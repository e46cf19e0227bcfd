namespace CrudApiSample.Queries;

/// <summary>How a filter compares; in a query string by two letters, which an "n" before them negates.</summary>
internal enum FilterOperator
{
    /// <summary>cs</summary>
    Contains,

    /// <summary>sw</summary>
    StartsWith,

    /// <summary>ew</summary>
    EndsWith,

    /// <summary>eq</summary>
    Equal,

    /// <summary>lt</summary>
    Less,

    /// <summary>le</summary>
    LessOrEqual,

    /// <summary>ge</summary>
    GreaterOrEqual,

    /// <summary>gt</summary>
    Greater,

    /// <summary>bt</summary>
    Between,

    /// <summary>in</summary>
    In,

    /// <summary>is</summary>
    IsNull,
}
